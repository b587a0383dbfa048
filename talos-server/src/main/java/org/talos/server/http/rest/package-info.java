// SPDX-License-Identifier: Apache-2.0
/**
 * REST: one exchange from the request line to the answer, by routes; everything it does for a client goes through
 * {@code service.Operations}. Entry type: {@link org.talos.server.http.rest.RestHandler}. Jetty's threads; none waits.
 */
@NullMarked
package org.talos.server.http.rest;

import org.jspecify.annotations.NullMarked;
