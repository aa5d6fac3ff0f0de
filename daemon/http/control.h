// What the daemon answers: /metrics, /healthz and /readyz over TCP for monitoring, and
// /v1/status, /v1/release and /v1/rollback on the control socket for the operator.
#pragma once

#include "daemon/daemon.h"
#include "daemon/http/server.h"

namespace rocktune::daemon {

// GET /metrics: Prometheus text. GET /healthz: 200 while polls are made in time, else 503.
// GET /readyz: 200 once the first poll was made.
HttpHandler monitoring_handler(Daemon& daemon, const Clock& clock);

// GET /v1/status. POST /v1/release {"target"?, "knob"?, "column_family"?} and POST /v1/rollback
// {"target"?} answer {"results": [{target, knob, status, reason, before, after}]}; errors are
// {"error": {code, message}}. The monitoring paths are answered too.
HttpHandler control_handler(Daemon& daemon, const Clock& clock);

}  // namespace rocktune::daemon
