// SPDX-License-Identifier: Apache-2.0
/** Messages in the forms of REST and streams: JSON, headers, and the contents of stored blocks. Starts no thread. */
@NullMarked
package org.talos.server.http.rest.message;

import org.jspecify.annotations.NullMarked;
