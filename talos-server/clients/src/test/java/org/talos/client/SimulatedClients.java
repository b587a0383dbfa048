// SPDX-License-Identifier: Apache-2.0
package org.talos.client;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.talos.client.simulation.Machine;
import org.talos.client.simulation.ModelServers;
import org.talos.client.transport.CallFailure;
import org.talos.client.transport.Endpoints;
import org.talos.client.transport.RetryPolicy;
import org.talos.client.transport.RoutedCalls;
import org.talos.client.transport.SimulatedCalls;

/** Makes clients that run on simulated machines. Immutable. */
public final class SimulatedClients {
    private SimulatedClients() {}

    /**
     * A client of all servers.
     *
     * @param timeout of one try
     * @param deadline of a call
     */
    public static TalosClient client(
            Machine machine, ModelServers servers, SimulatedCalls.Faults faults, Duration timeout, Duration deadline) {
        RoutedCalls routed = new RoutedCalls(
                new SimulatedCalls(machine, servers, faults),
                new Endpoints(
                        servers.names().stream()
                                .map(name -> URI.create("http://" + name))
                                .toList(),
                        machine.turns()::nanos),
                new RetryPolicy(
                        Duration.ofMillis(100),
                        Duration.ofSeconds(5),
                        new Random(machine.turns().random().nextLong())),
                machine.turns()::nanos,
                timeout,
                true,
                new Silent());
        return new TalosClient(
                new ClientCalls(routed, machine.turns()::nanos, deadline, machine, new Opened(), Optional.empty()));
    }

    /** Says nothing. Immutable. */
    private record Silent() implements RoutedCalls.CallListener {
        @Override
        public void tried(String method, URI server, Duration took, @Nullable CallFailure failure) {}

        @Override
        public void repeating(String method, CallFailure failure, Duration pause) {}
    }
}
