// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.util.UrlEncoded;
import org.jspecify.annotations.Nullable;
import org.talos.server.http.rest.json.ProblemException;

/**
 * The parameters of a request line: each known to its route, and at most once.
 *
 * <p>Immutable.
 */
public final class Query {
    /** Far more than any route knows. Jetty copies all values of a name for each further one: in quadratic time. */
    private static final int MAX_PARAMETERS = 64;

    private final Map<String, String> values;

    private Query(Map<String, String> values) {
        this.values = Map.copyOf(values);
    }

    /**
     * Checks the parameters that were given.
     *
     * @throws ProblemException 400: one that is not known, or comes twice; or they cannot be read
     */
    static Query of(@Nullable String query, Set<String> known) {
        Map<String, String> values = new HashMap<>();
        for (Fields.Field field : decoded(query)) {
            if (!known.contains(field.getName())) {
                throw ProblemException.badRequest("unknown parameter " + shown(field.getName()));
            }
            if (field.getValues().size() > 1) {
                throw ProblemException.badRequest("parameter " + field.getName() + " comes more than once");
            }
            values.put(field.getName(), field.getValue());
        }
        return new Query(values);
    }

    /**
     * All parameters, whatever they are.
     *
     * @throws ProblemException 400: they are not encoded as they should be, or far too many
     */
    static Fields decoded(@Nullable String query) {
        if (query != null && query.chars().filter(each -> each == '&').count() >= MAX_PARAMETERS) {
            throw ProblemException.badRequest("more than " + MAX_PARAMETERS + " parameters follow ? in the path");
        }
        Fields given = new Fields();
        try {
            if (query != null) {
                UrlEncoded.decodeUtf8To(query, given); // Jetty's request would keep the decoded text
            }
        } catch (IllegalArgumentException | IllegalStateException e) {
            throw ProblemException.badRequest(
                    "what follows ? in the path (expected: name=value&…, as UTF-8, with %XX for what has a meaning there)");
        }
        return given;
    }

    private static String shown(String name) {
        return name.length() <= 100 ? name : name.substring(0, 100) + "…";
    }

    public Optional<String> text(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** True or false; false if it is missing. */
    public boolean flag(String name) {
        return switch (values.getOrDefault(name, "false")) {
            case "true" -> true;
            case "false" -> false;
            default -> throw ProblemException.badRequest("parameter " + name + " (expected: true or false)");
        };
    }

    /** A whole number within bounds. */
    public long number(String name, long byDefault, long min, long max) {
        String text = values.get(name);
        if (text == null) {
            return byDefault;
        }
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw outside(name, min, max);
        }
        throw outside(name, min, max);
    }

    private static ProblemException outside(String name, long min, long max) {
        return ProblemException.badRequest("parameter " + name + " (expected: " + min + ".." + max + ")");
    }
}
