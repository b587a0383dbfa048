// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.talos.server.metadata.MetadataException;
import org.talos.server.storage.StorageException;

/** Says why a server did not start, and what to do where the system's words don't say that. Immutable. */
public final class StartFailure {
    private static final String TOO_MANY_FILES = "Too many open files";

    private StartFailure() {}

    /** The sentence for whoever has started it. */
    public static String sentence(Throwable failure) {
        if (hasTooFewFiles(failure)) {
            return failure.getMessage() + ". This process may not open more files: " + OpenFiles.TO_DO;
        }
        if (isDiskFull(failure)) {
            return failure.getMessage() + ". The disk is full: free some 200 MiB on the disk of dataDirectory;"
                    + " nothing that was acknowledged is lost (docs/operations.md, «The disk is full»)";
        }
        return String.valueOf(failure.getMessage());
    }

    /** What is to be said of classes that can't be loaded, as libraries are files too; null: nothing. */
    public static @Nullable String sentence(LinkageError failure) {
        return hasTooFewFiles(failure) || OpenFiles.warning().isPresent()
                ? "not all of the program can be read, for want of open files it seems (" + failure + "): "
                        + OpenFiles.TO_DO
                : null;
    }

    /** Whether something failed since this process has as many files open as it may. */
    public static boolean hasTooFewFiles(Throwable failure) {
        return messages(failure).stream().anyMatch(message -> message.contains(TOO_MANY_FILES));
    }

    /** Whether something failed since the disk has no room. */
    static boolean isDiskFull(Throwable failure) {
        return StorageException.isDiskFull(failure)
                || (failure instanceof MetadataException metadata
                        && metadata.reason() == MetadataException.Reason.FULL);
    }

    private static List<String> messages(Throwable failure) {
        List<String> messages = new ArrayList<>();
        for (@Nullable Throwable each = failure; each != null; each = each.getCause()) {
            messages.add(String.valueOf(each.getMessage()));
        }
        return messages;
    }
}
