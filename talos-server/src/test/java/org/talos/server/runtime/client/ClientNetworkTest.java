// SPDX-License-Identifier: Apache-2.0
package org.talos.server.runtime.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class ClientNetworkTest {
    private static String of(String address) throws Exception {
        return ClientNetwork.of(InetAddress.getByName(address));
    }

    @Test
    void ipv4AddressesAreClientsEach() throws Exception {
        assertThat(of("192.0.2.1")).isEqualTo("192.0.2.1").isNotEqualTo(of("192.0.2.2"));
    }

    @Test
    void ipv6AddressesOfOneNetworkAreOneClient() throws Exception {
        assertThat(of("2001:db8:1:2::1"))
                .isEqualTo(of("2001:db8:1:2:ffff::7"))
                .isEqualTo("20010db800010002/64")
                .isNotEqualTo(of("2001:db8:1:3::1"));
    }

    @Test
    void siteHasTheNetworksOfOneCustomer() throws Exception {
        assertThat(ClientNetwork.site(InetAddress.getByName("2001:db8:1:2::1")))
                .isEqualTo(ClientNetwork.site(InetAddress.getByName("2001:db8:1:3::1")))
                .isEqualTo("20010db80001/48")
                .isNotEqualTo(ClientNetwork.site(InetAddress.getByName("2001:db8:2:2::1")));
        assertThat(ClientNetwork.site(InetAddress.getByName("192.0.2.1"))).isEqualTo("192.0.2.1");
    }

    @Test
    void ipv4AddressInIpv6FormIsTheIpv4Client() throws Exception {
        assertThat(of("::ffff:192.0.2.1")).isEqualTo(of("192.0.2.1"));
    }

    @Test
    void endWithoutAnAddressIsKnownByNone() {
        assertThat(ClientNetwork.of(InetSocketAddress.createUnresolved("nowhere", 1)))
                .isEqualTo("unknown");
    }
}
