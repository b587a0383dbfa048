// SPDX-License-Identifier: Apache-2.0
package org.talos.bench.peers;

/** The two kinds of clients that put the same load on a server. */
enum Clients {
    /** The client library of each product, called by threads that wait. */
    LIBRARY,
    /** A generator of the bench's own that speaks the product's protocol with little processor time. */
    LEAN
}
