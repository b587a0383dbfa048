// SPDX-License-Identifier: Apache-2.0
package org.talos.server.storage;

import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;

/**
 * Logs the failures of one part of the server on a full disk, where all of its writes fail: once, with the remedy, and
 * once at the end, with the number of failures. A line and a stack trace for each attempt would fill the same disk.
 *
 * <p>Thread-safe.
 */
public final class DiskFullLog {
    private final Logger log;
    private final String what;
    private final AtomicLong failures = new AtomicLong();

    /** Creates a log for a part of the server. */
    public DiskFullLog(Logger log, String what) {
        this.log = log;
        this.what = what;
    }

    /**
     * Logs a failure, if it is the first that a full disk has caused.
     *
     * @param detail the attempted action
     * @return false: it is another failure, and is said by the caller
     */
    public boolean failed(String detail, Throwable cause) {
        if (!StorageException.isDiskFull(cause)) {
            return false;
        }
        if (failures.getAndIncrement() == 0) {
            log.error(
                    "{}: the disk is full. Free space on the disk of the data directory; it resumes by itself then, and"
                            + " further failures are counted until it does {} cause={}",
                    what,
                    detail,
                    cause.toString());
        }
        return true;
    }

    /** Logs the end of the failures, if their begin was logged. */
    public void succeeded() {
        if (failures.get() > 0) {
            long counted = failures.getAndSet(0);
            if (counted > 0) {
                log.info("{}: resumed, the disk has room again failures={}", what, counted);
            }
        }
    }
}
