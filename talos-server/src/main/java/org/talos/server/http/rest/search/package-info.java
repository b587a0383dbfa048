// SPDX-License-Identifier: Apache-2.0
/**
 * Searches of messages at the server: the requests, and the lines of their results. A search reads as any client does,
 * a slice at a time, and waits its turn for each. Runs on Jetty's threads and on those for heavy work; none of them
 * waits.
 */
@NullMarked
package org.talos.server.http.rest.search;

import org.jspecify.annotations.NullMarked;
