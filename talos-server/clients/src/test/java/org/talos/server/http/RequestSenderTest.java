// SPDX-License-Identifier: Apache-2.0
package org.talos.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.ConnectionMetaData;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Server;
import org.junit.jupiter.api.Test;
import org.talos.server.auth.Principal;
import org.talos.server.memory.AnonymousMemory;
import org.talos.server.memory.MemoryBudget;

/** The turns and the memory that a request takes. */
class RequestSenderTest {
    private final MemoryBudget budget = new MemoryBudget(100);

    private static <T> T of(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    /** A request on a connection that no selector has. */
    private static Request request() {
        EndPoint endPoint = of(EndPoint.class, (self, method, arguments) -> {
            throw new AssertionError(method.getName());
        });
        Connection connection = of(Connection.class, (self, method, arguments) -> endPoint);
        ConnectionMetaData metaData = of(ConnectionMetaData.class, (self, method, arguments) -> connection);
        return of(Request.class, (self, method, arguments) -> metaData);
    }

    private RequestSender sender(String user, Set<String> orgs) {
        RequestSender sender = new RequestSender(request(), budget);
        Principal.Memberships memberships = new Principal.Memberships(orgs, Set.of());
        sender.markUser(new Principal(user, "AK", false, false, Set.of(user), memberships, null));
        return sender;
    }

    @Test
    void usersOfAnOrgTakeTheSameTurnsAndHoldTheSameMemory() {
        RequestSender ann = sender("ann", Set.of("CL9"));
        RequestSender bob = sender("bob", Set.of("CL9"));

        assertThat(bob.turnId()).isEqualTo(ann.turnId());
        assertThat(ann.memory().tryReserve(40)).isTrue();
        assertThat(bob.memory().tryReserve(30))
                .as("70 of one user, and 60 free")
                .isFalse();
        assertThat(sender("cid", Set.of()).memory().tryReserve(30)).isTrue();
    }

    /** A sender that has shown no key. */
    private RequestSender stranger(Connector connector, String address) {
        ConnectionMetaData metaData = of(
                ConnectionMetaData.class,
                (self, method, arguments) ->
                        method.getName().equals("getConnector") ? connector : new InetSocketAddress(address, 1));
        Request request = of(
                Request.class,
                (self, method, arguments) -> method.getName().equals("getConnectionMetaData") ? metaData : null);
        return new RequestSender(request, budget);
    }

    @Test
    void requestsWithoutAKeyTakeTheSameTurnsAndEachNetworkHoldsMemoryOfItsOwn() {
        Connector connector = new SelectorConnector(new Server(), 1, 1, () -> 0, new AnonymousMemory(budget));
        RequestSender one = stranger(connector, "198.51.100.1");
        RequestSender other = stranger(connector, "198.51.100.2");

        assertThat(one.memory().tryReserve(10)).isTrue();
        assertThat(other.memory().tryReserve(7)).isTrue();
        assertThat(one.memory().tryReserve(5))
                .as("15 of one network, and 8 free")
                .isFalse();
        assertThat(other.turnId()).isEqualTo(one.turnId());
    }

    /** A provider gives one customer up to 65,536 networks of IPv6. */
    @Test
    void signInsOfOneSiteHoldMemoryTogether() {
        Connector connector = new SelectorConnector(new Server(), 1, 1, () -> 0, new AnonymousMemory(budget));
        RequestSender one = stranger(connector, "2001:db8:1:2::1");
        RequestSender neighbor = stranger(connector, "2001:db8:1:3::1");
        RequestSender other = stranger(connector, "2001:db8:2:2::1");
        List.of(one, neighbor, other).forEach(RequestSender::signsIn);

        assertThat(one.memory().tryReserve(40 << 10)).isTrue();
        assertThat(neighbor.memory().tryReserve(40 << 10))
                .as("80 KiB of one site, beyond its part")
                .isFalse();
        assertThat(other.memory().tryReserve(40 << 10)).isTrue();
    }
}
