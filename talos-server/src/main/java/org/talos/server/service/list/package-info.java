// SPDX-License-Identifier: Apache-2.0
/** Long lists that clients search, sort, and read in pages: by names and figures, whatever the rows are. */
@NullMarked
package org.talos.server.service.list;

import org.jspecify.annotations.NullMarked;
