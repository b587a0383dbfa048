// SPDX-License-Identifier: Apache-2.0
/**
 * What each route of REST does with a request. Entry type: {@link org.talos.server.http.rest.resource.Routes}. Called
 * on Jetty's threads; none waits.
 */
@NullMarked
package org.talos.server.http.rest.resource;

import org.jspecify.annotations.NullMarked;
