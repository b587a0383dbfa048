// SPDX-License-Identifier: Apache-2.0
package org.talos.cli;

import org.talos.client.SimpleConsumer;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an offset, {@code earliest} or {@code latest}. Immutable. */
final class PositionConverter implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
        if (text.equals("earliest")) {
            return SimpleConsumer.EARLIEST;
        }
        if (text.equals("latest")) {
            return SimpleConsumer.LATEST;
        }
        if (text.matches("\\d{1,18}")) {
            return Long.parseLong(text);
        }
        throw new TypeConversionException("'" + text + "' is no offset (expected: 0 or more, earliest, latest)");
    }
}
