// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The bounds of what a user or a topic may use; an empty one is unbounded. Immutable.
 *
 * @param spaceBytes bytes kept of a topic, or of all topics that a user owns
 * @param topics number of topics that a user may own; empty for topics
 * @param putsPerSecond put requests a second
 * @param getsPerSecond get requests a second
 * @param putBytesPerSecond bytes put a second, as they are sent
 * @param getBytesPerSecond bytes got a second, as they are sent
 */
public record Quota(
        OptionalLong spaceBytes,
        OptionalInt topics,
        OptionalInt putsPerSecond,
        OptionalInt getsPerSecond,
        OptionalLong putBytesPerSecond,
        OptionalLong getBytesPerSecond) {}
