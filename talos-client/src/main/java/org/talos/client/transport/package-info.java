/** Sends the client's calls: signing, routing, repetition. Not for programs, which use the packages above it. */
@NullMarked
package org.talos.client.transport;

import org.jspecify.annotations.NullMarked;
