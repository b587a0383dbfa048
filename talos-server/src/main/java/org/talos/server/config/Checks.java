// SPDX-License-Identifier: Apache-2.0
package org.talos.server.config;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;

/** Checks of configuration values; each message has name, value and expected range. Immutable. */
final class Checks {
    private Checks() {}

    static void inRange(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + ".." + most + ")");
        }
    }

    static void inRange(String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + ".." + most + ")");
        }
    }

    static Instant instant(String name, String value) {
        try {
            return Instant.parse(value);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    name + ": " + value + " (expected: a time in UTC such as 2026-12-01T10:00:00Z)", e);
        }
    }

    static void notBlank(String name, String value) {
        if (value.isBlank()) {
            throw new IllegalArgumentException(name + ": blank (expected: a value)");
        }
    }

    static void matches(String name, String value, String pattern, String expected) {
        if (!value.matches(pattern)) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + expected + ")");
        }
    }
}
