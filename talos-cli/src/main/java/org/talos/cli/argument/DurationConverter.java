// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.argument;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.talos.common.time.TimeText;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses {@code 90m}, {@code 1d12h}, {@code 2w} or plain seconds to seconds. Immutable. */
public final class DurationConverter implements ITypeConverter<Integer> {
    private static final Pattern SECONDS = Pattern.compile("\\d{1,9}");

    @Override
    public Integer convert(String text) {
        Optional<Duration> duration = SECONDS.matcher(text).matches()
                ? Optional.of(Duration.ofSeconds(Long.parseLong(text)))
                : TimeText.duration(text);
        long seconds = duration.orElseThrow(() -> new TypeConversionException(
                        "'" + text + "' is not a duration (expected: seconds like 3600, or 90m, 12h, 7d, 2w)"))
                .toSeconds();
        if (seconds > Integer.MAX_VALUE) {
            throw new TypeConversionException("'" + text + "' is too long");
        }
        return (int) seconds;
    }
}
