// SPDX-License-Identifier: Apache-2.0
/** Messages as REST and streams show and take them: JSON, headers, and what stored blocks hold. Starts no thread. */
@NullMarked
package org.talos.server.http.rest.message;

import org.jspecify.annotations.NullMarked;
