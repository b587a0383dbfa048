// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.argument;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses {@code 90m}, {@code 12h}, {@code 7d} or plain seconds to seconds. Immutable. */
public final class RetentionConverter implements ITypeConverter<Integer> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9})([smhd]?)");

    @Override
    public Integer convert(String text) {
        Matcher match = FORM.matcher(text);
        if (!match.matches()) {
            throw new TypeConversionException("'" + text + "' is not a time (expected: 3600, 90m, 12h, 7d)");
        }
        long unit = switch (match.group(2)) {
            case "m" -> 60;
            case "h" -> 3_600;
            case "d" -> 86_400;
            default -> 1;
        };
        long seconds = Long.parseLong(match.group(1)) * unit;
        if (seconds > Integer.MAX_VALUE) {
            throw new TypeConversionException("'" + text + "' is too long");
        }
        return (int) seconds;
    }
}
