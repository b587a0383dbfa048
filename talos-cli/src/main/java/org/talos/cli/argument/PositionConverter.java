// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.argument;

import java.time.InstantSource;
import java.time.ZoneId;
import java.util.regex.Pattern;
import org.talos.cli.CommandTime;
import org.talos.client.admin.GroupReset.Target;
import org.talos.common.time.TimeText;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses an offset, a time, {@code earliest} or {@code latest}; days are those of the user's zone. Immutable. */
public final class PositionConverter implements ITypeConverter<Position> {
    private static final Pattern OFFSET = Pattern.compile("\\d{1,18}");

    private final InstantSource clock;
    private final ZoneId zone;

    /** As of this machine. */
    public PositionConverter() {
        this(CommandTime.wallClock(), CommandTime.zone());
    }

    PositionConverter(InstantSource clock, ZoneId zone) {
        this.clock = clock;
        this.zone = zone;
    }

    @Override
    public Position convert(String text) {
        if (text.equals("earliest")) {
            return Position.EARLIEST;
        }
        if (text.equals("latest")) {
            return new Position(Target.LATEST, 0);
        }
        if (OFFSET.matcher(text).matches()) {
            return new Position(Target.OFFSET, Long.parseLong(text));
        }
        return TimeText.parse(text, clock.instant(), zone)
                .map(time -> new Position(Target.TIME, time.toEpochMilli()))
                .orElseThrow(() -> new TypeConversionException("'" + text
                        + "' is no position (expected: an offset, earliest, latest, " + TimeText.EXPECTED + ")"));
    }
}
