// SPDX-License-Identifier: Apache-2.0
/**
 * HTTP as one unit of the server: puts the port, Thrift, REST, and the pages together. Entry type:
 * {@link org.talos.server.http.unit.HttpFrontEnd}.
 */
@NullMarked
package org.talos.server.http.unit;

import org.jspecify.annotations.NullMarked;
