// SPDX-License-Identifier: Apache-2.0
/** JSON of REST and its problems (RFC 9457). */
@NullMarked
package org.talos.server.http.rest.json;

import org.jspecify.annotations.NullMarked;
