/** Names of topics, groups and resources, and which partition a key belongs to. */
@NullMarked
package org.talos.common.name;

import org.jspecify.annotations.NullMarked;
