// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What a user or a topic may use; what is empty is without bound.
 *
 * <p>Immutable.
 *
 * @param spaceBytes of a topic, or of all topics that a user owns
 * @param topics that a user may own; not for topics
 * @param putsPerSecond requests that put
 * @param getsPerSecond requests that get
 * @param putBytesPerSecond bytes put, as they are sent
 * @param getBytesPerSecond bytes got, as they are sent
 */
public record Quota(
        OptionalLong spaceBytes,
        OptionalInt topics,
        OptionalInt putsPerSecond,
        OptionalInt getsPerSecond,
        OptionalLong putBytesPerSecond,
        OptionalLong getBytesPerSecond) {}
