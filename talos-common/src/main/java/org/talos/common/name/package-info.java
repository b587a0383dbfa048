/** Names of topics, groups and resources, where keys belong, and how even that is. */
@NullMarked
package org.talos.common.name;

import org.jspecify.annotations.NullMarked;
