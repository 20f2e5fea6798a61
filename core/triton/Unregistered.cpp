//===- Unregistered.cpp - Making and reading untyped operations -----------===//

#include "core/triton/Unregistered.h"

using namespace mlir;

Operation *flagtree::createOp(OpBuilder &builder, Location loc, StringRef name,
                              ValueRange operands, TypeRange resultTypes,
                              ArrayRef<NamedAttribute> properties,
                              ArrayRef<NamedAttribute> attributes) {
  OperationState state(loc, name, operands, resultTypes, attributes);
  if (state.name.isRegistered())
    state.addAttributes(properties);
  else if (!properties.empty())
    state.propertiesAttr = builder.getDictionaryAttr(properties);
  return builder.create(state);
}

DictionaryAttr flagtree::propertiesOf(Operation *op) {
  auto properties =
      dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  return properties ? properties : DictionaryAttr::get(op->getContext());
}

Attribute flagtree::propertyOf(Operation *op, StringRef name) {
  return propertiesOf(op).get(name);
}

void flagtree::setProperty(Operation *op, StringRef name, Attribute value) {
  if (op->isRegistered()) {
    op->setAttr(name, value);
    return;
  }
  NamedAttrList properties(propertiesOf(op));
  properties.set(name, value);
  // Properties of an unregistered operation are the attribute itself.
  *op->getPropertiesStorage().as<Attribute *>() =
      properties.getDictionary(op->getContext());
}
