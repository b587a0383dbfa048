// SPDX-License-Identifier: Apache-2.0
package org.talos.common.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.talos.thrift.ErrorCode;

class ExceptionsTest {
    private final IOException cause = new IOException("the disk");

    @Test
    void failureIsFoundInWhateverAFutureWrapsAroundIt() {
        assertThat(Exceptions.unwrap(new CompletionException(cause))).isSameAs(cause);
        assertThat(Exceptions.unwrap(new ExecutionException(cause))).isSameAs(cause);
        assertThat(Exceptions.unwrap(new ExecutionException(new CompletionException(cause))))
                .isSameAs(cause);
    }

    @Test
    void exceptionThatIsNoWrapperStaysWithItsCause() {
        UncheckedIOException unchecked = new UncheckedIOException(cause);

        assertThat(Exceptions.unwrap(unchecked)).isSameAs(unchecked);
        assertThat(Exceptions.unwrap(new CompletionException(unchecked))).isSameAs(unchecked);
    }

    @Test
    void wrapperWithoutACauseStays() {
        CompletionException empty = new CompletionException("no cause", null);

        assertThat(Exceptions.unwrap(empty)).isSameAs(empty);
    }

    @Test
    void failureOfACallIsFoundLikewise() {
        TalosException known = TalosException.refused(ErrorCode.TOPIC_NOT_EXIST, "no topic");

        assertThat(TalosException.of(new CompletionException(known))).isSameAs(known);
    }

    @Test
    void otherExceptionIsAFailureOfTheServerOfUnknownEffect() {
        TalosException failure = TalosException.of(new CompletionException(cause));

        assertThat(failure.code()).isEqualTo(ErrorCode.INTERNAL_SERVER_ERROR);
        assertThat(failure.effect()).isEqualTo(Effect.UNKNOWN);
        assertThat(failure)
                .as("the message is for clients")
                .hasMessage("the server failed")
                .hasCause(cause);
    }
}
