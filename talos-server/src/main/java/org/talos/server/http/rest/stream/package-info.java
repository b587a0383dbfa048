// SPDX-License-Identifier: Apache-2.0
/**
 * Bodies of REST without an end known beforehand: lines that are answered line by line, and answers that are written as
 * they come about. Jetty's threads; none waits.
 */
@NullMarked
package org.talos.server.http.rest.stream;

import org.jspecify.annotations.NullMarked;
