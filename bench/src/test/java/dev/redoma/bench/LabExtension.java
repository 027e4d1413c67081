// SPDX-License-Identifier: Apache-2.0
package dev.redoma.bench;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/// Gives tests the one lab that all of them share; it is closed, and seen to leave nothing, when the last has run.
final class LabExtension implements BeforeAllCallback, ParameterResolver {

    @Override
    public void beforeAll(ExtensionContext context) {
        shared(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Lab.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return shared(context);
    }

    private static Lab shared(ExtensionContext context) {
        return context.getRoot().getStore(ExtensionContext.Namespace.create(LabExtension.class))
                .computeIfAbsent(Lab.class, key -> Lab.start("shared"), Lab.class);
    }
}
