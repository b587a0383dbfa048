// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The limits of a user or a topic; an empty one is unlimited. Immutable.
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
        OptionalLong getBytesPerSecond) {
    /** A quota without limits. */
    public static final Quota UNBOUNDED = new Quota(
            OptionalLong.empty(),
            OptionalInt.empty(),
            OptionalInt.empty(),
            OptionalInt.empty(),
            OptionalLong.empty(),
            OptionalLong.empty());

    /** Returns this quota with a bound of the bytes kept. */
    public Quota withSpaceBytes(long most) {
        return new Quota(
                OptionalLong.of(most), topics, putsPerSecond, getsPerSecond, putBytesPerSecond, getBytesPerSecond);
    }

    /** Returns this quota with a bound of the topics that a user owns. */
    public Quota withTopics(int most) {
        return new Quota(
                spaceBytes, OptionalInt.of(most), putsPerSecond, getsPerSecond, putBytesPerSecond, getBytesPerSecond);
    }

    /** Returns this quota with a bound of put requests a second. */
    public Quota withPutsPerSecond(int most) {
        return new Quota(spaceBytes, topics, OptionalInt.of(most), getsPerSecond, putBytesPerSecond, getBytesPerSecond);
    }

    /** Returns this quota with a bound of get requests a second. */
    public Quota withGetsPerSecond(int most) {
        return new Quota(spaceBytes, topics, putsPerSecond, OptionalInt.of(most), putBytesPerSecond, getBytesPerSecond);
    }

    /** Returns this quota with a bound of bytes put a second. */
    public Quota withPutBytesPerSecond(long most) {
        return new Quota(spaceBytes, topics, putsPerSecond, getsPerSecond, OptionalLong.of(most), getBytesPerSecond);
    }

    /** Returns this quota with a bound of bytes got a second. */
    public Quota withGetBytesPerSecond(long most) {
        return new Quota(spaceBytes, topics, putsPerSecond, getsPerSecond, putBytesPerSecond, OptionalLong.of(most));
    }
}
