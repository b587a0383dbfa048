// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.argument;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses {@code NAME:VALUE}, as curl takes it; blanks around both are left out. Immutable. */
public final class HeaderConverter implements ITypeConverter<Header> {
    @Override
    public Header convert(String text) {
        int colon = text.indexOf(':');
        String name = text.substring(0, Math.max(0, colon)).strip();
        if (name.isEmpty()) {
            throw new TypeConversionException("'" + text + "' is not a header (expected: NAME:VALUE)");
        }
        return new Header(name, text.substring(colon + 1).strip());
    }
}
