// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.topic;

import org.talos.thrift.TopicTalosResourceName;

/** Derives the keys under which calls about a topic run one after another. Immutable. */
final class TopicKeys {
    private TopicKeys() {}

    /** Returns the key of one topic. */
    static String of(TopicTalosResourceName name) {
        return name.getTopicTalosResourceName();
    }

    /**
     * Returns the same key for all topics of an owner. An owner's topics grow one after another, so any number of these
     * calls occupies one thread.
     */
    static String ofOwner(TopicTalosResourceName name) {
        String resourceName = of(name);
        return resourceName.substring(0, Math.max(0, resourceName.lastIndexOf('#', resourceName.lastIndexOf('#') - 1)));
    }
}
