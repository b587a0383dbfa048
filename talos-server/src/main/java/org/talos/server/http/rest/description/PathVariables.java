// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

import static java.util.Map.entry;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;

/** The variables of paths, which mean the same in each path. Immutable. */
public final class PathVariables {
    private static final String NAME = "^(?!_)(?!-)(?!.*?_$)[a-zA-Z0-9_-]{1,80}$";
    private static final String IDENTIFIER = "^[A-Za-z0-9._@-]{1,100}$";
    private static final Map<String, Parameter> ALL = Map.ofEntries(
            variable("topic", "The topic's name.", ValueType.text().pattern(NAME)),
            variable(
                    "partition",
                    "Number of the partition, from 0.",
                    ValueType.integer().between(0, Integer.MAX_VALUE)),
            variable(
                    "offset",
                    "Offset of the message.",
                    ValueType.integer().format("int64").min(0)),
            variable("group", "The consumer group's name.", ValueType.text().pattern(NAME)),
            variable(
                    "member",
                    "As join answered it.",
                    ValueType.text().pattern("^[0-9A-Za-z:_]{1,100}-(rest|stream)-[0-9]{1,9}-[0-9a-f]{16}$")),
            variable(
                    "grantee",
                    "A user, by name (not by the id of a key), or a team or org.",
                    ValueType.text().pattern(IDENTIFIER)),
            variable("user", "A user's id.", ValueType.text().pattern(IDENTIFIER)),
            variable("org", "An org's id.", ValueType.text().pattern("^CL[A-Za-z0-9-]{1,70}$")),
            variable("server", "A server's id.", ValueType.text()));

    private PathVariables() {}

    private static Map.Entry<String, Parameter> variable(String name, String text, ValueType type) {
        return entry(name, new Parameter(name, "path", text, type));
    }

    /** Returns a variable as the parameter of a path. */
    public static ObjectNode describe(String name) {
        Parameter known = ALL.get(name);
        if (known == null) {
            throw new IllegalArgumentException("no description of {" + name + "}");
        }
        return known.describe();
    }
}
