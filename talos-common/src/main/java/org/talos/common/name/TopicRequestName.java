// SPDX-License-Identifier: Apache-2.0
package org.talos.common.name;

import java.util.Optional;

/**
 * The name in a request for a new topic: {@code name}, or {@code orgId/name}. Immutable.
 *
 * @param orgId org that will own the topic, if one is given
 * @param name name of the topic, not checked
 */
public record TopicRequestName(Optional<String> orgId, String name) {
    /** Parses a name: splits it at the first slash. */
    public static TopicRequestName parse(String text) {
        int slash = text.indexOf('/');
        return slash < 0
                ? new TopicRequestName(Optional.empty(), text)
                : new TopicRequestName(Optional.of(text.substring(0, slash)), text.substring(slash + 1));
    }
}
