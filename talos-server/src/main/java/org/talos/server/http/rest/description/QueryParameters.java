// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http.rest.description;

/** Parameters that several routes have. Immutable. */
public final class QueryParameters {
    /** The form in which the bytes of messages are shown. */
    public static final Parameter FORM = new Parameter(
            "as",
            "query",
            "How bytes are shown: auto gives text if they are UTF-8, else base64.",
            ValueType.text().words("auto", "text", "base64", "json").usual("auto"));

    private QueryParameters() {}

    /**
     * Returns where in a partition to begin.
     *
     * @param usual the place if it is missing
     */
    public static Parameter from(String usual) {
        ValueType place = ValueType.anyOf(
                ValueType.text().words("earliest", "latest"),
                ValueType.text().pattern("^[0-9]{1,18}$"),
                ValueType.time());
        return new Parameter(
                "from",
                "query",
                "earliest, latest, an offset, or a point of time, like 2026-01-31T12:00:00Z or 1h.",
                place.usual(usual));
    }
}
