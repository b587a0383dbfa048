// SPDX-License-Identifier: Apache-2.0
package org.talos.cli.argument;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parses {@code 64MiB}, {@code 10GB} or plain bytes to bytes. Immutable. */
public final class BytesConverter implements ITypeConverter<Long> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,18})\\s*([KMGT]I?B)?", Pattern.CASE_INSENSITIVE);
    private static final Map<String, Long> UNITS = Map.of(
            "", 1L,
            "KB", 1_000L,
            "MB", 1_000_000L,
            "GB", 1_000_000_000L,
            "TB", 1_000_000_000_000L,
            "KIB", 1L << 10,
            "MIB", 1L << 20,
            "GIB", 1L << 30,
            "TIB", 1L << 40);

    @Override
    public Long convert(String text) {
        Matcher match = FORM.matcher(text);
        if (!match.matches()) {
            throw new TypeConversionException("'" + text + "' is not a size (expected: bytes, or 64MiB, 10GB)");
        }
        String unit = match.group(2) == null ? "" : match.group(2).toUpperCase(Locale.ROOT);
        try {
            return Math.multiplyExact(Long.parseLong(match.group(1)), UNITS.getOrDefault(unit, 1L));
        } catch (ArithmeticException e) {
            throw new TypeConversionException("'" + text + "' is too large");
        }
    }
}
