// SPDX-License-Identifier: Apache-2.0
package org.talos.server.service.group;

import java.util.Optional;
import org.talos.server.metadata.rows.group.CommittedOffset;
import org.talos.thrift.CheckPoint;

/**
 * Decides whether a worker's commit is stored. The worker that holds the lock may go back, as a reader does after a
 * reset. But an old commit, which was delayed in a server while its client repeated it elsewhere, looks the same. So a
 * commit that names the stored offset may go back. A commit that does not may go back only behind an offset that
 * another worker has committed: the SDKs' readers name no offset after a reset.
 *
 * <p>Immutable.
 */
final class CommitRule {
    /** The offset stored for a group that continues with the very first message, and returned if it never committed. */
    static final long NO_OFFSET = -1;

    private CommitRule() {}

    /** The outcome of a commit. */
    enum Verdict {
        STORED,
        /** Another worker holds the lock, or no worker does and the commit would go back. */
        LOCK_LOST,
        /** The group is already further, or not where the commit expects it. */
        NOT_EXPECTED
    }

    /**
     * Judges a commit.
     *
     * @param holder of the partition's lock
     */
    static Verdict of(CheckPoint wanted, Optional<CommittedOffset> stored, Optional<String> holder) {
        boolean holds = holder.filter(wanted.getWorkerId()::equals).isPresent();
        if (holder.isPresent() && !holds) {
            return Verdict.LOCK_LOST;
        }
        long last = stored.map(CommittedOffset::offset).orElse(NO_OFFSET);
        if (wanted.isSetLastCommitOffset() && wanted.getLastCommitOffset() != last) {
            return Verdict.NOT_EXPECTED;
        }
        return wanted.getMsgOffset() >= Math.max(last, 0) ? Verdict.STORED : back(wanted, stored, holds);
    }

    /** Returns a commit that goes back, or names no message at all. */
    private static Verdict back(CheckPoint wanted, Optional<CommittedOffset> stored, boolean holds) {
        if (wanted.isSetLastCommitOffset()) {
            if (wanted.getMsgOffset() < NO_OFFSET) {
                return Verdict.NOT_EXPECTED;
            }
            return holds ? Verdict.STORED : Verdict.LOCK_LOST;
        }
        boolean mayGoBack =
                holds && wanted.getMsgOffset() >= 0 && !wanted.isOnlyForward() && !isBy(wanted.getWorkerId(), stored);
        return mayGoBack ? Verdict.STORED : Verdict.NOT_EXPECTED;
    }

    private static boolean isBy(String worker, Optional<CommittedOffset> stored) {
        return stored.filter(last -> last.workerId().equals(worker)).isPresent();
    }
}
