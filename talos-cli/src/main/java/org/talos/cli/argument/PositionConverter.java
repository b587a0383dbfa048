// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.argument;

import java.time.InstantSource;
import java.time.ZoneId;
import java.util.regex.Pattern;
import org.talos.cli.CommandTime;
import org.talos.cli.argument.Position.Place;
import org.talos.common.time.TimeText;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parses an offset, a time, {@code earliest}, {@code latest} or {@code last}; days are those of the user's zone.
 * Immutable.
 */
public final class PositionConverter implements ITypeConverter<Position> {
    private static final Pattern OFFSET = Pattern.compile("\\d{1,18}");

    private final InstantSource clock;
    private final ZoneId zone;

    /** Creates a converter with the clock and zone of this machine. */
    public PositionConverter() {
        this(CommandTime.wallClock(), CommandTime.zone());
    }

    PositionConverter(InstantSource clock, ZoneId zone) {
        this.clock = clock;
        this.zone = zone;
    }

    @Override
    public Position convert(String text) {
        return switch (text) {
            case "earliest" -> Position.EARLIEST;
            case "latest" -> new Position(Place.LATEST, 0);
            case "last" -> new Position(Place.LAST, 0);
            default -> OFFSET.matcher(text).matches() ? new Position(Place.OFFSET, Long.parseLong(text)) : time(text);
        };
    }

    private Position time(String text) {
        return TimeText.parse(text, clock.instant(), zone)
                .map(time -> new Position(Place.TIME, time.toEpochMilli()))
                .orElseThrow(() -> new TypeConversionException(
                        "'" + text + "' is not a position (expected: an offset, earliest, latest, last, "
                                + TimeText.EXPECTED + ")"));
    }
}
