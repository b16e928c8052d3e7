// SPDX-License-Identifier: Apache-2.0
#include "app/qos_request.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace tactus::app {
namespace {

Error wrong(std::string sentence) {
  return {ErrorCode::InvalidArgument, std::move(sentence)};
}

std::optional<double>* numberOf(periodic::QosAction& action, const QString& key) {
  if (key == "frequency") return &action.frequency;
  if (key == "size") return &action.size;
  if (key == "f_min") return &action.leastFrequency;
  if (key == "weight") return &action.weight;
  return nullptr;
}

}  // namespace

Result<QosRequest> qosRequestOf(std::string_view line) {
  QJsonParseError fault;
  const auto document =
      QJsonDocument::fromJson(QByteArray(line.data(), static_cast<qsizetype>(line.size())), &fault);
  if (fault.error != QJsonParseError::NoError)
    return wrong("The line is no JSON: " + fault.errorString().toStdString() + ".");
  if (!document.isObject()) return wrong("The line is no JSON object.");
  QosRequest request;
  const QJsonObject object = document.object();
  for (auto field = object.begin(); field != object.end(); ++field) {
    const std::string key = field.key().toStdString();
    if (field.key() == "handle" && field->isBool()) {
      request.handles = field->toBool();
    } else if (field.key() == "window" && field->isString()) {
      request.window = field->toString().toStdString();
    } else if (auto* number = numberOf(request.action, field.key()); number != nullptr && field->isDouble()) {
      *number = field->toDouble();
    } else {
      return wrong("'" + key + "' is unknown, or its value is of another type.");
    }
  }
  if (request.handles && object.size() == 1) return request;
  if (request.handles || request.window.empty())
    return wrong("A line has \"handle\" alone, or a \"window\" and what is to be done about it.");
  if (auto valid = validate(request.action); !valid.ok()) return valid.error();
  return request;
}

}  // namespace tactus::app
