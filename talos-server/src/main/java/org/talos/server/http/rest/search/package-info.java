// SPDX-License-Identifier: Apache-2.0
/**
 * Looking through messages at the server: what is asked for, and the lines that come of it. A search reads as any
 * client does, a slice at a time, and waits its turn for each. Jetty's threads and those of heavy work; none waits.
 */
@NullMarked
package org.talos.server.http.rest.search;

import org.jspecify.annotations.NullMarked;
