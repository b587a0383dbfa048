// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.talos.server.metadata.MetadataException;
import org.talos.server.storage.StorageException;

/** The reason why a server did not start, with a remedy where the system's message has none. Immutable. */
public final class StartFailure {
    private static final Logger LOG = LoggerFactory.getLogger(StartFailure.class);
    private static final String TOO_MANY_FILES = "Too many open files";

    private StartFailure() {}

    /** Returns the sentence for the person who started the server, on one line. */
    public static String sentence(Throwable failure) {
        return said(failure).lines().map(String::strip).collect(Collectors.joining(" "));
    }

    private static String said(Throwable failure) {
        if (failure instanceof LinkageError
                && (hasTooFewFiles(failure) || OpenFiles.warning().isPresent())) {
            return "not all of the program can be read, for want of open files it seems (" + failure + "): "
                    + OpenFiles.TO_DO;
        }
        if (hasTooFewFiles(failure)) {
            return words(failure) + ". This process may not open more files: " + OpenFiles.TO_DO;
        }
        if (isDiskFull(failure)) {
            return words(failure) + ". The disk is full: free some 200 MiB on the disk of dataDirectory;"
                    + " nothing that was acknowledged is lost (docs/operations.md, 'The disk is full')";
        }
        if (lacksALibrary(failure)) {
            return "a native library cannot be loaded (" + failure + "): name a directory that is not mounted with"
                    + " noexec by -Djava.io.tmpdir=DIRECTORY in TALOS_JAVA_OPTS";
        }
        return isUnforeseen(failure) ? "the start failed: " + failure : words(failure);
    }

    /** The system's words for some failures are a path alone, or none at all. */
    private static String words(Throwable failure) {
        String message = failure.getMessage();
        boolean isPath = failure instanceof FileSystemException file && file.getReason() == null;
        return message == null || isPath ? failure.toString() : message;
    }

    /** Returns the {@link #sentence}. The log gets the trace of a failure that is a fault of the program. */
    public static String reported(Throwable failure) {
        if (isUnforeseen(failure) && !hasTooFewFiles(failure) && !lacksALibrary(failure)) {
            LOG.error("the start failed", failure);
        }
        return sentence(failure);
    }

    private static boolean isUnforeseen(Throwable failure) {
        return failure instanceof RuntimeException || failure instanceof Error;
    }

    private static boolean lacksALibrary(Throwable failure) {
        for (@Nullable Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof UnsatisfiedLinkError) {
                return isUnforeseen(failure);
            }
        }
        return false;
    }

    /** Returns whether something failed since this process has as many files open as it may. */
    public static boolean hasTooFewFiles(Throwable failure) {
        return messages(failure).stream().anyMatch(message -> message.contains(TOO_MANY_FILES));
    }

    /** Returns whether something failed since the disk has no room. */
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
