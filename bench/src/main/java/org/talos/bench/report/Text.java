// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.report;

import com.google.errorprone.annotations.FormatMethod;
import java.util.Locale;

/** Texts with numbers, the same in each locale. Immutable. */
public final class Text {
    private Text() {}

    /** Returns a text as {@link String#format(Locale, String, Object...)} makes it with {@link Locale#ROOT}. */
    @FormatMethod
    public static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
