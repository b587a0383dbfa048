// SPDX-License-Identifier: Apache-2.0
package org.talos.server.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import org.junit.jupiter.api.Test;
import org.talos.common.error.Effect;
import org.talos.server.metadata.MetadataException;
import org.talos.server.storage.StorageException;

class StartFailureTest {
    @Test
    void tooFewOpenFilesAreSaidWithTheCommand() {
        StorageException failure = StorageException.unavailable(
                "directory cannot be opened", Effect.NONE, new IOException("/data: Too many open files"));

        assertThat(StartFailure.sentence(failure)).contains("ulimit -n 65536", "LimitNOFILE=65536");
        assertThat(OpenFiles.failure(1020, 1024).orElseThrow()).contains("1020 of 1024", "ulimit -n 65536");
        assertThat(OpenFiles.failure(1000, 1024)).isEmpty();
        assertThat(OpenFiles.warning(256).orElseThrow()).contains("only 256 files", "ulimit -n 65536");
        assertThat(OpenFiles.warning(1024)).isEmpty();
    }

    @Test
    void classesThatCantBeReadForWantOfFilesAreSaidSo() {
        Throwable cause = new FileNotFoundException("lib.jar (Too many open files)");
        ExceptionInInitializerError failure = new ExceptionInInitializerError(cause);

        assertThat(StartFailure.sentence(failure)).contains("ulimit -n 65536");
    }

    @Test
    void fullDiskIsSaidWithWhatToDo() {
        MetadataException failure =
                new MetadataException(MetadataException.Reason.FULL, Effect.NONE, "cannot open the directory");

        assertThat(StartFailure.sentence(failure)).startsWith("cannot open the directory. The disk is full: free ");
    }

    @Test
    void libraryThatCannotBeLoadedIsSaidWithWhatToDo() {
        Error failure = new UnsatisfiedLinkError("/tmp/lib.so: failed to map segment from shared object");

        assertThat(StartFailure.reported(failure)).contains("/tmp/lib.so", "java.io.tmpdir", "noexec");
    }

    @Test
    void faultOfTheProgramIsSaidWithItsKind() {
        assertThat(StartFailure.reported(new IllegalStateException("not two")))
                .isEqualTo("the start failed: java.lang.IllegalStateException: not two");
    }

    @Test
    void failureIsSaidOnOneLineAndWithItsKindWhereItsWordsDoNotSayIt() {
        assertThat(StartFailure.sentence(new IOException("one\n  two\n"))).isEqualTo("one two");
        assertThat(StartFailure.sentence(new AccessDeniedException("/data/logs")))
                .isEqualTo("java.nio.file.AccessDeniedException: /data/logs");
        assertThat(StartFailure.sentence(new ClosedChannelException()))
                .isEqualTo("java.nio.channels.ClosedChannelException");
    }

    @Test
    void otherFailuresAreSaidAsTheyAre() {
        assertThat(StartFailure.sentence(new IOException("the port is taken"))).isEqualTo("the port is taken");
    }
}
