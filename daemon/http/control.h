// What the daemon answers: /metrics, /healthz and /readyz over TCP for monitoring, and
// /v1/status and the orders (/v1/release, /v1/rollback, /v1/freeze, /v1/unfreeze) on the control
// socket for the operator.
#pragma once

#include "daemon/daemon.h"
#include "daemon/http/server.h"

namespace rocktune::daemon {

// GET /metrics: Prometheus text. GET /healthz: 200 while polls are made in time, else 503.
// GET /readyz: 200 once the first poll was made.
HttpHandler monitoring_handler(Daemon& daemon, const Clock& clock);

// GET /v1/status. POST /v1/release {"target"?, "knob"?, "column_family"?} and POST /v1/rollback
// {"target"?, "knob"?, "column_family"?, "value"?, "decision"?, "left_at"?, "check"?} (a value, of
// a knob, instead of the found one; the decision that it takes back, and where that and those after
// it left the knob; only whether it may be) answer
// {"results": [{target, knob, status, reason, before, after}]}; errors are
// {"error": {code, message}}. POST /v1/freeze {"for_seconds"?} and POST /v1/unfreeze make and
// remove the freeze file and answer {frozen, file, until}. The monitoring paths are answered too.
HttpHandler control_handler(Daemon& daemon, const Clock& clock);

}  // namespace rocktune::daemon
