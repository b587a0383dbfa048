// SPDX-License-Identifier: Apache-2.0
package org.talos.server.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.opentelemetry.api.GlobalOpenTelemetry;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.talos.server.config.ServerConfig.TracingConfig;
import org.talos.server.config.ServerConfig.TracingWhen;

/** Without an agent, what a request asks of tracing allocates nothing: RequestAllocationTest has whole requests. */
@Isolated // whether any server of the process traces is asked
@Timeout(60)
class TracingOffTest {
    private static final int REQUESTS = 100_000;
    private static final String SENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    private final Tracing tracing = Tracing.of(new TracingConfig(TracingWhen.AUTO));

    /** Returns how many of the questions of the front end, the calls, and the transfer find a trace. */
    private int found() {
        return (Tracing.isWanted() ? 1 : 0)
                + (Trace.of(SENT) == null ? 0 : 1)
                + (Trace.current() == null ? 0 : 1)
                + (Trace.currentTraceparent() == null ? 0 : 1)
                + (tracing.isOn() ? 1 : 0);
    }

    @Test
    void requestsAllocateNothing() {
        assertThat(GlobalOpenTelemetry.isSet()).isFalse();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        int found = found();
        long before = threads.getThreadAllocatedBytes(id);
        for (int i = 0; i < REQUESTS; i++) {
            found += found();
        }
        long after = threads.getThreadAllocatedBytes(id);

        assertThat(found).isZero();
        assertThat(after - before).as("the measuring itself may take some").isLessThan(REQUESTS);
    }
}
