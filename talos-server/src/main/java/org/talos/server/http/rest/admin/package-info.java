// SPDX-License-Identifier: Apache-2.0
/**
 * The views and changes of operators over REST: how a server is and was, partitions and their segments, users and their
 * keys. Jetty's threads; none waits.
 */
@NullMarked
package org.talos.server.http.rest.admin;

import org.jspecify.annotations.NullMarked;
