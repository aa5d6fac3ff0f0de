#include "policy/shares.h"

#include <algorithm>
#include <cmath>

namespace rocktune {
namespace {

// A need counts anew when it has moved this far: rises sooner than falls, since what is taken away
// takes its time to come back. A wish that ends is a fall, also of who grew meanwhile: 1.15 / 1.5
// (policy/sharing.cc).
constexpr double kRisenNeed = 1.15, kFallenNeed = 0.78;

double not_negative(double value) {
  return std::isfinite(value) ? std::max(0.0, value) : 0;
}

double counted_weight(const Claim& claim) {
  return std::isfinite(claim.weight) && claim.weight > 0 ? claim.weight : 1;
}

double counted_need(const Claim& claim) {
  const bool known = claim.need && std::isfinite(*claim.need);
  return not_negative(known ? *claim.need : claim.held);
}

double counted_cap(const Claim& claim, double budget) {
  if (!claim.cap || std::isnan(*claim.cap)) return budget;
  return std::clamp(*claim.cap, 0.0, budget);
}

// The member that has least for its weight of those below their bound; claims.size(): none is.
std::size_t next_in_line(const std::vector<Claim>& claims, const std::vector<double>& has,
                         const std::vector<double>& bound, double unit) {
  std::size_t next = claims.size();
  double least = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (!claims[i].movable || has[i] + unit > bound[i]) continue;
    const double share = (has[i] + unit) / counted_weight(claims[i]);
    if (next == claims.size() || share < least) {
      next = i;
      least = share;
    }
  }
  return next;
}

}  // namespace

std::vector<double> divide(double budget, double unit, const std::vector<Claim>& claims) {
  std::vector<double> has(claims.size(), 0);
  budget = not_negative(budget);
  double left = budget, floors = 0;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (claims[i].movable) {
      floors += not_negative(claims[i].floor);
      continue;
    }
    has[i] = not_negative(claims[i].held);
    left = std::max(0.0, left - has[i]);
  }
  const double scale = floors > left ? left / floors : 1;
  const auto in_units = [&](double amount) { return std::floor(amount / unit + 1e-9) * unit; };
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (!claims[i].movable) continue;
    has[i] = in_units(not_negative(claims[i].floor) * scale);
    left -= has[i];
  }
  const auto give_up_to = [&](auto bound_of) {
    std::vector<double> bound(claims.size(), 0);
    for (std::size_t i = 0; i < claims.size(); ++i) {
      // The last unit of a need is given whole.
      const double wanted = std::ceil(bound_of(claims[i]) / unit - 1e-9) * unit;
      bound[i] = std::min(wanted, in_units(counted_cap(claims[i], budget))) + unit * 1e-6;
    }
    while (left + unit * 1e-6 >= unit) {
      const std::size_t next = next_in_line(claims, has, bound, unit);
      if (next == claims.size()) break;
      has[next] += unit;
      left -= unit;
    }
  };
  give_up_to(counted_need);
  give_up_to([](const Claim& claim) { return not_negative(claim.held); });
  give_up_to([](const Claim& claim) { return not_negative(claim.usual); });
  give_up_to([&](const Claim&) { return budget; });
  return has;
}

bool Shares::another(double budget, const std::vector<Claim>& claims) const {
  if (budget != budget_ || claims.size() != planned_.size()) return true;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    const Claim& now = claims[i];
    const Claim& then = planned_[i];
    const bool same = now.member == then.member && now.weight == then.weight &&
                      now.floor == then.floor && now.cap == then.cap && now.usual == then.usual &&
                      now.movable == then.movable && (now.movable || now.held == then.held);
    if (!same) return true;
  }
  return false;
}

void Shares::keep_needs(std::vector<Claim>& claims) {
  std::map<std::string, double> kept;
  for (Claim& claim : claims) {
    double need = counted_need(claim);
    const auto before = needs_.find(claim.member);
    const bool stays = before != needs_.end() && need < kRisenNeed * before->second &&
                       need > kFallenNeed * before->second;
    if (stays) need = before->second;
    claim.need = kept[claim.member] = need;
  }
  needs_ = std::move(kept);
}

void Shares::plan(double budget, double unit, const std::vector<Claim>& claims) {
  const std::vector<double> parts = divide(budget, unit, claims);
  plan_.clear();
  for (std::size_t i = 0; i < claims.size(); ++i) plan_[claims[i].member] = parts[i];
  planned_ = claims;
  budget_ = budget;
}

void Shares::approach(double budget, double unit, const std::vector<Claim>& claims) {
  std::map<std::string, double> now;
  double taken = 0;  // by slices, or by what is held beyond them
  for (const Claim& claim : claims) {
    const double aim = plan_[claim.member];
    const auto before = slices_.find(claim.member);
    // Who is new begins with its floor, and what it holds beyond that comes as it is free.
    double first = std::min(aim, std::floor(not_negative(claim.floor) / unit + 1e-9) * unit);
    if (begins_at_plan_ && slices_.empty()) first = aim;
    double slice = before == slices_.end() ? first : std::min(before->second, aim);
    if (!claim.movable) slice = aim;
    now[claim.member] = slice;
    taken += std::max(slice, not_negative(claim.held));
  }
  for (const Claim& claim : claims) {
    double& slice = now[claim.member];
    const double mine = std::max(slice, not_negative(claim.held));
    const double is_free = budget - (taken - mine);
    const double grown = std::min(plan_[claim.member], std::floor(is_free / unit + 1e-9) * unit);
    if (grown <= slice) continue;
    slice = grown;
    taken += std::max(slice, not_negative(claim.held)) - mine;
  }
  slices_ = std::move(now);
}

const std::map<std::string, double>& Shares::update(Nanoseconds now, double budget, double unit,
                                                    std::vector<Claim> claims) {
  std::sort(claims.begin(), claims.end(),
            [](const Claim& a, const Claim& b) { return a.member < b.member; });
  const bool due = !planned_at_ || seconds_between(*planned_at_, now) >= dwell_seconds_;
  if (due || another(budget, claims)) {
    keep_needs(claims);
    plan(budget, unit, claims);
    planned_at_ = now;
  }
  approach(budget, unit, claims);
  return slices_;
}

}  // namespace rocktune
