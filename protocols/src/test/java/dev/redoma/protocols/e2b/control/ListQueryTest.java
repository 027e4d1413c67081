// SPDX-License-Identifier: Apache-2.0
package dev.redoma.protocols.e2b.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.redoma.model.RedomaException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ListQueryTest {

    /// What the JavaScript SDK sends is `k%2525201%3Dv%2525262`; a query is decoded once before it gets here.
    @Test
    void metadataIsDecodedAsAWholeAndThenPartByPart() {
        assertThat(ListQuery.metadata("k%25201=v%25262")).isEqualTo(Map.of("k 1", "v&2"));
        assertThat(ListQuery.metadata("a=1&b=%2541")).isEqualTo(Map.of("a", "1", "b", "A"));
        assertThat(ListQuery.metadata(null)).isEmpty();
    }

    @Test
    void metadataOfAnotherFormIsRefusedByName() {
        for (var broken : new String[] {"a", "a=b=c", "a=%zz"}) {
            assertThatThrownBy(() -> ListQuery.metadata(broken)).as(broken).isInstanceOf(RedomaException.class).hasMessageContaining("metadata");
        }
    }
}
