// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.command;

import java.time.DateTimeException;
import java.time.OffsetDateTime;
import org.talos.client.admin.GroupReset.Target;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses an offset, a time, {@code earliest} or {@code latest}. Immutable. */
final class PositionConverter implements ITypeConverter<Position> {
    @Override
    public Position convert(String text) {
        if (text.equals("earliest")) {
            return Position.EARLIEST;
        }
        if (text.equals("latest")) {
            return new Position(Target.LATEST, 0);
        }
        if (text.matches("\\d{1,18}")) {
            return new Position(Target.OFFSET, Long.parseLong(text));
        }
        try {
            return new Position(
                    Target.TIME, OffsetDateTime.parse(text).toInstant().toEpochMilli());
        } catch (DateTimeException | ArithmeticException e) {
            throw new TypeConversionException("'" + text
                    + "' is no position (expected: an offset, earliest, latest, or a time like 2026-01-31T12:00:00Z)");
        }
    }
}
