class PlaceholderTest {
  @org.junit.jupiter.api.Test
  void x() {}
}
