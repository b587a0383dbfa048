// SPDX-License-Identifier: Apache-2.0
package org.talos.server.metadata.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.net.ConnectException;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.CallQueueTooBigException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.exceptions.ConnectionClosedException;
import org.apache.hadoop.hbase.exceptions.RegionOpeningException;
import org.apache.hadoop.hbase.ipc.CallTimeoutException;
import org.apache.hadoop.hbase.regionserver.RegionServerAbortedException;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.talos.server.metadata.hbase.AttemptFailure.Kind;

final class AttemptFailureTest {
    static Stream<Arguments> failures() {
        return Stream.of(
                arguments(new NotServingRegionException("moved"), Kind.BUSY),
                arguments(new RegionOpeningException("opening"), Kind.BUSY),
                arguments(new RegionTooBusyException("full"), Kind.BUSY),
                arguments(new CallQueueTooBigException("full"), Kind.BUSY),
                arguments(new ConnectException("refused"), Kind.UNREACHED),
                arguments(new TableNotFoundException("talos"), Kind.REFUSED),
                arguments(new AccessDeniedException("no"), Kind.REFUSED),
                arguments(new CallTimeoutException("late"), Kind.NO_ANSWER),
                arguments(new ConnectionClosedException("closed"), Kind.NO_ANSWER),
                arguments(new RegionServerAbortedException("aborting"), Kind.NO_ANSWER),
                arguments(new IOException("connection reset"), Kind.NO_ANSWER));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void causeDecidesWhateverItIsWrappedIn(Throwable cause, Kind expected) {
        RetriesExhaustedException exhausted = new RetriesExhaustedException(
                1, List.of(new RetriesExhaustedException.ThrowableWithExtraContext(cause, 0, "")));

        assertThat(AttemptFailure.of(cause).kind()).isEqualTo(expected);
        assertThat(AttemptFailure.of(exhausted).kind()).isEqualTo(expected);
        assertThat(AttemptFailure.of(new CompletionException(exhausted)).kind()).isEqualTo(expected);
    }
}
