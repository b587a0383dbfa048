// SPDX-License-Identifier: Apache-2.0
package org.talos.client.stream;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The reason why a put or a subscription failed: the server's JSON object (RFC 9457). Reads the plain members of the
 * object, and skips the rest. An unreadable problem counts as one without details.
 *
 * <p>Immutable.
 *
 * @param members texts, numbers and truth values by name, as texts
 */
record StreamProblem(Map<String, String> members) {
    private static final int HEX_DIGITS = 4;
    private static final int HEX = 16;

    StreamProblem {
        members = Map.copyOf(members);
    }

    static StreamProblem read(ByteBuffer json) {
        Scanner scanner = new Scanner(StandardCharsets.UTF_8.decode(json).toString());
        scanner.object();
        return new StreamProblem(scanner.members);
    }

    /** Returns the protocol's name of the error, or the server's own for an error that only streams have. */
    String code() {
        return members.getOrDefault("code", "unknown").toUpperCase(Locale.ROOT).replace('-', '_');
    }

    /** Returns the sentence for people. */
    String detail() {
        return members.getOrDefault("detail", "");
    }

    /** Returns the HTTP status; 0 if there is none. */
    int status() {
        return (int) number("status", 0);
    }

    boolean retryable() {
        return Boolean.parseBoolean(members.get("retryable"));
    }

    /** Returns a member that is a whole number. */
    long number(String name, long otherwise) {
        String text = members.getOrDefault(name, "");
        return text.matches("-?\\d{1,18}") ? Long.parseLong(text) : otherwise;
    }

    /** Reads an object; ends where it is none. Confined: its caller. */
    private static final class Scanner {
        private final String text;
        private final Map<String, String> members = new HashMap<>();
        private int at;

        Scanner(String text) {
            this.text = text;
        }

        private void object() {
            if (!take('{')) {
                return;
            }
            while (take('"')) {
                String name = string();
                if (!take(':')) {
                    return;
                }
                if (take('"')) {
                    members.put(name, string());
                } else if (peek() == '[' || peek() == '{') {
                    pass();
                } else {
                    members.put(name, word());
                }
                if (!take(',')) {
                    return;
                }
            }
        }

        private char peek() {
            while (at < text.length() && text.charAt(at) <= ' ') {
                at++;
            }
            return at < text.length() ? text.charAt(at) : 0;
        }

        private boolean take(char wanted) {
            boolean isThere = peek() == wanted;
            at += isThere ? 1 : 0;
            return isThere;
        }

        private String word() {
            int from = at;
            while (at < text.length() && ",}] ".indexOf(text.charAt(at)) < 0) {
                at++;
            }
            return text.substring(from, at);
        }

        /** Skips an array or object. */
        private void pass() {
            int depth = 0;
            do {
                char next = peek();
                at++;
                if (next == '"') {
                    var unused = string();
                } else if (next == '[' || next == '{') {
                    depth++;
                } else if (next == ']' || next == '}') {
                    depth--;
                }
            } while (depth > 0 && at < text.length());
        }

        /** Returns the rest of a text whose first quote has been taken. */
        private String string() {
            StringBuilder string = new StringBuilder();
            while (at < text.length() && text.charAt(at) != '"') {
                char next = text.charAt(at++);
                string.append(next == '\\' && at < text.length() ? escaped(text.charAt(at++)) : next);
            }
            at++;
            return string.toString();
        }

        private char escaped(char what) {
            return switch (what) {
                case 'n' -> '\n';
                case 't' -> '\t';
                case 'r' -> '\r';
                case 'b' -> '\b';
                case 'f' -> '\f';
                case 'u' -> unicode();
                default -> what;
            };
        }

        private char unicode() {
            int end = Math.min(text.length(), at + HEX_DIGITS);
            String digits = text.substring(at, end);
            at = end;
            return digits.matches("[0-9a-fA-F]{4}") ? (char) Integer.parseInt(digits, HEX) : '?';
        }
    }
}
