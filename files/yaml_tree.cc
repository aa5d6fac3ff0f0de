#include "files/yaml_tree.h"

#include "files/yaml_document.h"

namespace rocktune {
namespace {

// Aliases can make a small file an endless one; no file of ours needs more than this.
constexpr int kMaxDepth = 16;
constexpr int kMaxNodes = 20'000;

Mark mark_of(const YAML::Mark& mark) {
  return {mark.line + 1, mark.column + 1};
}

struct TooBig {
  Mark mark;
};

class TreeCopier {
 public:
  RawNode copy(const YAML::Node& node, int depth) {
    RawNode raw;
    raw.mark = mark_of(node.Mark());
    if (depth > kMaxDepth || ++count_ > kMaxNodes) throw TooBig{raw.mark};
    if (node.IsScalar()) {
      raw.kind = RawNode::Kind::kScalar;
      raw.text = node.Scalar();
    } else if (node.IsSequence()) {
      raw.kind = RawNode::Kind::kList;
      for (const YAML::Node& item : node) raw.items.push_back(copy(item, depth + 1));
    } else if (node.IsMap()) {
      raw.kind = RawNode::Kind::kMap;
      for (const auto& pair : node) {
        raw.entries.push_back({pair.first.IsScalar() ? pair.first.Scalar() : std::string("?"),
                               mark_of(pair.first.Mark()), copy(pair.second, depth + 1)});
      }
    }
    return raw;
  }

 private:
  int count_ = 0;
};

std::string at(const std::string& file, const Mark& mark) {
  return file + ":" + std::to_string(mark.line) + ":" + std::to_string(mark.column);
}

}  // namespace

Result<RawNode> parse_yaml_tree(std::string_view text, const std::string& file) {
  try {
    return TreeCopier().copy(load_yaml_document(std::string(text)), 0);
  } catch (const TooBig& big) {
    return fail(ErrorCode::kInvalidArgument,
                at(file, big.mark) + ": nested too deeply, or too many values");
  } catch (const MoreThanOneDocument& more) {
    return fail(ErrorCode::kInvalidArgument, at(file, mark_of(more.mark)) + ": " + more.msg);
  } catch (const YAML::Exception& error) {
    return fail(ErrorCode::kInvalidArgument,
                at(file, mark_of(error.mark)) + ": not valid YAML: " + error.msg);
  } catch (const std::exception& error) {
    return fail(ErrorCode::kInvalidArgument, file + ":1:1: not valid YAML: " + error.what());
  }
}

}  // namespace rocktune
