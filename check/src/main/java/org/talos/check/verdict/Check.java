// SPDX-License-Identifier: Apache-2.0
package org.talos.check.verdict;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A check of histories: one promise, and a function that lists its violations. Immutable.
 *
 * @param name two or three words
 * @param promise what must hold, and when an exception is allowed
 */
record Check(String name, String promise, Function<Facts, List<Anomaly>> anomalies) {
    /** Every check. */
    static List<Check> all() {
        return Stream.of(ofPlaces(), ofLoss(), ofReaders(), ofOrder(), ofGroups(), ofDeletions(), ofUse())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Check> ofPlaces() {
        return List.of(
                new Check("aborted read", "no reader gets a message that certainly was not put", ReadChecks::aborted),
                new Check(
                        "phantom",
                        "each message that is read was sent before, to this partition, with these bytes",
                        ReadChecks::phantoms),
                new Check(
                        "inconsistent offsets",
                        "one place holds one value, for all clients",
                        PlaceChecks::inconsistent),
                new Check(
                        "duplicate",
                        "a value is stored once; allowed if its put was repeated without an identity",
                        PlaceChecks::duplicates),
                new Check(
                        "one identity, one place", "all answers to one put's identity agree", PlaceChecks::identities),
                new Check("torn put", "the messages of one put stay together, in their order", PlaceChecks::torn));
    }

    private static List<Check> ofLoss() {
        return List.of(
                new Check(
                        "lost write",
                        "a message that was acknowledged before one that was read is read",
                        LossChecks::lost),
                new Check("hole", "offsets are dense", LossChecks::holes),
                new Check("unseen", "each acknowledged message is read in the end", LossChecks::unseen),
                new Check("stuck", "after the last fault everything can be read and put", LossChecks::stuck));
    }

    private static List<Check> ofReaders() {
        return List.of(
                new Check(
                        "poll skip",
                        "a reader is given the next message, or an error that says why not; not past an assignment",
                        PollChecks::skips),
                new Check(
                        "non-monotonic poll",
                        "a reader is not given the same again; not past an assignment",
                        PollChecks::backwards),
                new Check(
                        "internal poll skip", "the messages of one answer follow on each other", PollChecks::internal),
                new Check(
                        "stale poll",
                        "with no fault around, 'nothing yet' is never older than 2 s",
                        StaleCheck::stale));
    }

    private static List<Check> ofOrder() {
        return List.of(
                new Check("non-monotonic send", "a producer's puts lie in its order", OrderChecks::sends),
                new Check(
                        "gap",
                        "behind a put of a pipelined producer that is not stored none of its partition is",
                        OrderChecks::gaps),
                new Check(
                        "real-time order",
                        "a put that began after another was acknowledged lies behind it",
                        OrderChecks::realTime),
                new Check(
                        "ends go back",
                        "no partition's start or end goes back, nor misses an acknowledged message",
                        OrderChecks::ends));
    }

    private static List<Check> ofGroups() {
        return List.of(
                new Check(
                        "consume count",
                        "each message reaches each group that is read to the end",
                        GroupChecks::missing),
                new Check(
                        "begin at latest",
                        "what is put after the first fetch of a group at latest reaches it, also in partitions that come later",
                        GroupChecks::missingAtLatest),
                new Check(
                        "group skip",
                        "the new holder of a group's partition begins where the group may have committed, not behind that",
                        ResumeCheck::skips),
                new Check("commit goes back", "a group's committed offsets stay", GroupChecks::backwards),
                new Check(
                        "commit beyond",
                        "no group's offset is beyond the messages that it was given",
                        GroupChecks::beyond));
    }

    private static List<Check> ofUse() {
        return List.of(new Check(
                "growth",
                "at the end of a long run servers use no more heap, threads and files than when it had settled",
                UseChecks::growing));
    }

    private static List<Check> ofDeletions() {
        return List.of(
                new Check(
                        "served after deletion",
                        "a client that was notified of a topic's deletion has no more answers from it",
                        DeletionChecks::served),
                new Check(
                        "re-created",
                        "a topic begins empty at offset 0, whatever earlier topic had its name",
                        DeletionChecks::recreated),
                new Check("left behind", "of a deleted topic nothing is kept", DeletionChecks::left),
                new Check(
                        "deletion logged as error",
                        "no server logs a stack trace about a deleted topic, unless its storage fails",
                        DeletionChecks::logged));
    }
}
