// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

import java.util.Optional;

/**
 * How a new topic is asked for: {@code name}, or {@code orgId/name}. Immutable.
 *
 * @param orgId the org that is to own it, if one is named
 * @param name the topic's name, not checked
 */
public record TopicRequestName(Optional<String> orgId, String name) {
    /** Splits at the first slash. */
    public static TopicRequestName parse(String text) {
        int slash = text.indexOf('/');
        return slash < 0
                ? new TopicRequestName(Optional.empty(), text)
                : new TopicRequestName(Optional.of(text.substring(0, slash)), text.substring(slash + 1));
    }
}
