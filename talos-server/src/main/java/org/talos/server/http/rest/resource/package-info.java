// SPDX-License-Identifier: Apache-2.0
/**
 * The work of each route of REST with a request. Entry type: {@link org.talos.server.http.rest.resource.Routes}. Called
 * on Jetty's threads; none waits.
 */
@NullMarked
package org.talos.server.http.rest.resource;

import org.jspecify.annotations.NullMarked;
